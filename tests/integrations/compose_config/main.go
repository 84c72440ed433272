// Loads compose files as `docker compose config` does, without an engine, and prints the project as JSON.
//
//	compose-config -env-file FILE [-profiles NAMES] COMPOSE_FILE...
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	environment := flag.String("env-file", "", "what variables are replaced by")
	profiles := flag.String("profiles", "", "names, separated by commas; * stands for all")
	flag.Parse()
	text, err := load(flag.Args(), *environment, strings.Split(*profiles, ","))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Stdout.Write(text)
}

func load(files []string, environment string, profiles []string) ([]byte, error) {
	options, err := cli.NewProjectOptions(
		files,
		cli.WithEnvFiles(environment),
		cli.WithDotEnv,
		cli.WithProfiles(profiles),
	)
	if err != nil {
		return nil, err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return nil, err
	}
	return project.MarshalJSON()
}
