// Lectern is a course-management service for universities in one program.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // units name their time zones, which not every machine knows

	"github.com/alecthomas/kong"

	"lectern/internal/app"
	"lectern/internal/platform/pdf"
)

type commands struct {
	Serve       serveCmd       `cmd:"" help:"Run the service."`
	Worker      workerCmd      `cmd:"" help:"Work background jobs only, beside the machines that serve."`
	Migrate     migrateCmd     `cmd:"" help:"Bring the database's schema up to date, then stop."`
	OpenAPI     openAPICmd     `cmd:"" name:"openapi" help:"Print the OpenAPI document."`
	Permissions permissionsCmd `cmd:"" help:"Print who may do what."`
	User        userCmd        `cmd:"" help:"Create accounts, set passwords, make password links, list."`
	Audit       auditCmd       `cmd:"" help:"Check the audit log."`
	Verify      verifyCmd      `cmd:"" name:"verify-receipt" help:"Check a receipt of a submission, without the service."`
	Doctor      doctorCmd      `cmd:"" help:"Check settings, database, files, disk and clock, and say what to do."`
	Version     versionCmd     `cmd:"" help:"Print the version."`

	Similarity      similarityCmd      `cmd:"" help:"Compare a folder of submissions, without the service."`
	SimilarityBench similarityBenchCmd `cmd:"" help:"Measure the comparison on a generated corpus."`

	FakeSimilarity fakeSimilarityCmd `cmd:"" name:"fake-similarity-service" help:"Stand in for that service."`
}

func main() {
	pdf.MaybeChild()
	os.Exit(obey())
}

// obey does what the command line asks and gives the program's exit code.
func obey() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var c commands
	k := kong.Must(&c, kong.Name("lectern"), kong.DefaultEnvars("LECTERN"), kong.UsageOnError(),
		kong.Description("Units, tasks, submissions and feedback for universities.\nEvery flag is also a variable: "+
			"--public-url is LECTERN_PUBLIC_URL. A secret may stand in a file: LECTERN_SMTP_URL_FILE names it."),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Resolvers(kong.ResolverFunc(secretFromFile)))
	if err := app.CheckEnvironment(os.Environ(), variables(k.Model.Node)); err != nil {
		fmt.Fprintln(os.Stderr, "lectern:", err)
		return 2
	}
	command, err := k.Parse(os.Args[1:])
	k.FatalIfErrorf(err)
	if err := command.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "lectern:", err)
		return 1
	}
	return 0
}

// variables lists the names of every setting of every command.
func variables(n *kong.Node) []string {
	var out []string
	for _, f := range n.Flags {
		out = append(out, f.Envs...)
		if name := secretFile(f); name != "" {
			out = append(out, name)
		}
	}
	for _, child := range n.Children {
		out = append(out, variables(child)...)
	}
	return out
}
