package assess

import (
	"context"
	"fmt"
	"io"
	"time"

	"lectern/internal/platform/container"
	"lectern/internal/teaching/taskdef"
)

// Probe runs a shell that does nothing in a container of an image, confined as assessments are,
// and tells why that cannot be done. It is for whoever looks after the service.
func Probe(ctx context.Context, e *container.Engine, image string, l taskdef.Limits) error {
	limits := engineLimits(l)
	limits.Time = time.Minute
	ended, err := e.Run(ctx, container.Run{Image: image, Command: []string{shell, "-c", "exit 0"}, User: someUser(),
		Folders: folders(room(l)), Limits: limits, Output: io.Discard, Report: io.Discard, MostReport: mostYAML})
	if err == nil && (ended.Cause != container.Exited || ended.ExitCode != 0) {
		err = fmt.Errorf("%s of the image ended with %d (%s)", shell, ended.ExitCode, ended.Cause)
	}
	return err
}

// folders are the places where what is assessed may write.
func folders(most int64) []container.Folder {
	return []container.Folder{{Path: "/" + workFolder, Size: most, Exec: true},
		{Path: "/" + tempFolder, Size: most, Exec: true}, {Path: "/" + resultFolder, Size: mostResult}}
}
