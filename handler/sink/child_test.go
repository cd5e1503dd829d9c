package sink_test

import "os"

const childEnv = "SLOGPACK_SINK_CHILD"

func child(run string) { os.Exit(2) }
