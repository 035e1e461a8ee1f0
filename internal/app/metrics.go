package app

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// metrics counts requests by route, never by path: a path has ids in it.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "lectern_requests_total",
			Help: "Requests answered."}, []string{"method", "route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "lectern_request_seconds",
			Help:    "Time to answer.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10}},
			[]string{"method", "route"}),
	}
	m.registry.MustRegister(m.requests, m.seconds, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "lectern_statements_total", Help: "SQL statements run."},
			func() float64 { return float64(db.Statements()) }))
	return m
}

// Answered implements httpserver.Metrics. A method nobody declared is counted under one
// name, or a client could fill the memory with made-up ones.
func (m *metrics) Answered(method, route string, status int, took time.Duration) {
	if route == "" {
		method, route = "other", "none"
	}
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(method, route).Observe(took.Seconds())
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// forwarding are the headers by which a proxy says that it asks for somebody else.
var forwarding = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "Via"}

// nearby lets only direct connections from this machine through: what a proxy
// passes on comes from elsewhere, even where the proxy stands on this machine.
func (a *App) nearby(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from, err := netip.ParseAddrPort(r.RemoteAddr)
		direct := err == nil && from.Addr().Unmap().IsLoopback()
		for _, name := range forwarding {
			direct = direct && len(r.Header.Values(name)) == 0
		}
		if !direct {
			a.web.Fail(w, r, fault.New(fault.Denied, "Metrics are shown on the machine itself, or at --metrics-addr."))
			return
		}
		h.ServeHTTP(w, r)
	})
}

// serveMetrics answers /metrics on an address of its own, if there is one.
func (a *App) serveMetrics(ctx context.Context) error {
	if a.MetricsAddr == "" {
		return nil
	}
	l, err := a.listen(ctx, a.MetricsAddr)
	if err != nil {
		return fmt.Errorf("--metrics-addr: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", a.metrics)
	a.serveBeside(ctx, l, mux, "the service of metrics")
	fmt.Fprintf(a.out, "Metrics are at http://%s/metrics\n", l.Addr())
	return nil
}
