// Lectern is a course-management service for universities in one program.
package main

import (
	"context"
	"errors"
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
	ShowVersion kong.VersionFlag `name:"version" env:"-" help:"Print the version, commit and date of the program."`

	Serve       serveCmd       `cmd:"" help:"Run the service."`
	Worker      workerCmd      `cmd:"" help:"Work background jobs only, beside the machines that serve."`
	Migrate     migrateCmd     `cmd:"" help:"Bring the database's schema up to date, then stop."`
	OpenAPI     openAPICmd     `cmd:"" name:"openapi" help:"Print the OpenAPI document."`
	Permissions permissionsCmd `cmd:"" help:"Print who may do what."`
	FirstLink   firstLinkCmd   `cmd:"" name:"first-link" help:"Print a link to set up an installation that has no administrator."`
	Unit        unitCmd        `cmd:"" help:"Decide what becomes of the work of a unit that is over."`
	User        userCmd        `cmd:"" help:"Create accounts, set passwords, make password links, list."`
	Audit       auditCmd       `cmd:"" help:"Check the audit log."`
	Verify      verifyCmd      `cmd:"" name:"verify-receipt" help:"Check a receipt of a submission, without the service."`
	Backup      backupCmd      `cmd:"" help:"Copy records and files to another place, while the service runs."`
	BackupKey   backupKeyCmd   `cmd:"" help:"Make the key that reads encrypted backups."`
	Restore     restoreCmd     `cmd:"" help:"Bring a backup back into an empty place, or prove with --verify that it could."`
	Resume      resumeCmd      `cmd:"" help:"Let a restored installation send emails and call other services again."`
	Move        moveCmd        `cmd:"" help:"Bring an installation from SQLite and local files to PostgreSQL and S3."`
	Doctor      doctorCmd      `cmd:"" help:"Check settings, database, files, disk and clock, and say what to do."`
	Version     versionCmd     `cmd:"" help:"Print the version, commit and date of the program."`

	Similarity      similarityCmd      `cmd:"" help:"Compare a folder of submissions, without the service."`
	SimilarityBench similarityBenchCmd `cmd:"" help:"Measure the comparison on a generated corpus."`

	FakeSimilarity fakeSimilarityCmd `cmd:"" name:"fake-similarity-service" help:"Play the outside similarity service, to try it without an account there."`
}

func main() {
	pdf.MaybeChild()
	os.Exit(obey())
}

// obey does what the command line asks and gives the program's exit code.
func obey() int {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	kept, err := app.ReadKept(os.Args[1:], os.Environ())
	if err != nil {
		fmt.Fprintln(os.Stderr, "lectern:", err)
		return 2
	}
	var c commands
	k := kong.Must(&c, kong.Name("lectern"), kong.DefaultEnvars("LECTERN"),
		kong.Description("Units, tasks, submissions and feedback for universities.\nEvery flag is also a variable: "+
			"--public-url is LECTERN_PUBLIC_URL. A secret may stand in a file: LECTERN_SMTP_URL_FILE names it. "+
			"Lines of variables in settings.env of --data are read, too; flags and variables win over them."),
		kong.Vars{"version": app.Built().String()}, kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(kept),
		kong.Resolvers(kong.ResolverFunc(secretFromFile)))
	known := variables(k.Model.Node)
	if err := errors.Join(app.CheckEnvironment(os.Environ(), known), kept.Check(known), kept.Apply()); err != nil {
		fmt.Fprintln(os.Stderr, "lectern:", err)
		return 2
	}
	command, err := k.Parse(os.Args[1:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "lectern: %v\nSee %s\n", kept.Explain(err), helpFor(err))
		return 2
	}
	kept.Flags(flagged(command))
	if err := command.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "lectern:", kept.Explain(err))
		return 1
	}
	return 0
}

// flagged lists the variables of the flags that the command line has.
func flagged(c *kong.Context) (names []string) {
	for _, p := range c.Path {
		if p.Flag != nil && !p.Resolved {
			names = append(names, p.Flag.Envs...)
		}
	}
	return names
}

// helpFor is the command line that shows the help of the command that was asked for.
func helpFor(err error) string {
	wrong, ok := errors.AsType[*kong.ParseError](err)
	if !ok || wrong.Context.Command() == "" {
		return "lectern --help"
	}
	return "lectern " + wrong.Context.Command() + " --help"
}

// endings are the signals that let the program finish what it does. A terminal that is closed
// says SIGHUP; who asked nohup to ignore that goes on.
func endings() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
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
