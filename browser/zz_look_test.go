package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
)

func TestZZLook(t *testing.T) {
	needed(t)
	out, user, paths := os.Getenv("LOOK_OUT"), os.Getenv("LOOK_USER"), strings.Fields(os.Getenv("LOOK_PATHS"))
	big := screen{name: "big", width: 1440, height: 900}
	screens := map[string]screen{"1440": big, "1440d": big.inTheDark(), "390": phone, "390d": phone.inTheDark()}
	if os.Getenv("LOOK_ONLY") != "" {
		screens = map[string]screen{os.Getenv("LOOK_ONLY"): screens[os.Getenv("LOOK_ONLY")]}
	}
	for name, on := range screens {
		b := open(t, quiet(t), on)
		b.signIn(user)
		for _, p := range paths {
			b.visit(p)
			b.await("document.readyState === 'complete'")
			if os.Getenv("LOOK_TALL") != "" {
				h := eval[int64](b, "document.documentElement.scrollHeight")
				w := eval[int64](b, "window.innerWidth")
				set(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: w, Height: h, DeviceScaleFactor: 1})
			}
			b.picture(filepath.Join(out, strings.Trim(strings.NewReplacer("/", "_", "?", "_", "&", "_", "=", "_").Replace(p), "_")+"-"+name+".png"))
		}
	}
}
