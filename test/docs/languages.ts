/**
 * How the snippet of one language in docs/webhooks.md is run. `program` reads one request per line from stdin (secret, now,
 * body and then names and values of headers, all but `now` in base64, tabs between) and prints true or false for each.
 */
export interface Language {
  name: string
  /** The word after the ``` of its code block. */
  fence: string
  /** Ends with 0 where the language is on this machine. */
  probe: [command: string, ...args: string[]]
  run: [command: string, ...args: string[]]
  files(snippet: string): Record<string, string>
}

const node: Language = {
  name: 'Node',
  fence: 'js',
  probe: [process.execPath, '--version'],
  run: [process.execPath, 'run.mjs'],
  files: (snippet) => ({
    'snippet.mjs': snippet,
    'run.mjs': `
import { readFileSync } from 'node:fs'
import { verify } from './snippet.mjs'
for (const line of readFileSync(0, 'utf8').trimEnd().split('\\n')) {
  const [secret, now, body, ...rest] = line.split('\\t')
  const headers = {}
  for (let at = 0; at < rest.length; at += 2) headers[text(rest[at]).toLowerCase()] = text(rest[at + 1])
  console.log(verify(text(secret), headers, Buffer.from(body, 'base64'), Number(now)))
}
function text(field) { return Buffer.from(field, 'base64').toString() }
`,
  }),
}

const python: Language = {
  name: 'Python',
  fence: 'python',
  probe: ['python3', '--version'],
  run: ['python3', 'run.py'],
  files: (snippet) => ({
    'snippet.py': snippet,
    'run.py': `
import sys
from base64 import b64decode
from snippet import verify
for line in sys.stdin.read().rstrip("\\n").split("\\n"):
    secret, now, body, *rest = line.split("\\t")
    rest = [b64decode(field).decode() for field in rest]
    headers = dict(zip(rest[::2], rest[1::2]))
    print("true" if verify(b64decode(secret).decode(), headers, b64decode(body), float(now)) else "false")
`,
  }),
}

const php: Language = {
  name: 'PHP',
  fence: 'php',
  probe: ['php', '--version'],
  run: ['php', 'run.php'],
  files: (snippet) => ({
    'snippet.php': snippet,
    'run.php': `<?php
error_reporting(E_ALL);
set_error_handler(fn ($code, $text) => throw new ErrorException($text));
require 'snippet.php';
foreach (explode("\\n", rtrim(stream_get_contents(STDIN), "\\n")) as $line) {
    $fields = explode("\\t", $line);
    $headers = [];
    for ($at = 3; $at < count($fields); $at += 2) {
        $headers[base64_decode($fields[$at])] = base64_decode($fields[$at + 1]);
    }
    $verdict = verify(base64_decode($fields[0]), $headers, base64_decode($fields[2]), (int) $fields[1]);
    echo $verdict ? "true\\n" : "false\\n";
}
`,
  }),
}

const go: Language = {
  name: 'Go',
  fence: 'go',
  probe: ['go', 'version'],
  run: ['go', 'run', 'snippet.go', 'run.go'],
  files: (snippet) => ({
    'snippet.go': snippet.replace(/^package \w+/, 'package main'),
    'run.go': `package main

import (
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

func bytesOf(field string) []byte {
	decoded, err := base64.StdEncoding.DecodeString(field)
	if err != nil {
		panic(err)
	}
	return decoded
}

func main() {
	input, _ := io.ReadAll(os.Stdin)
	for _, line := range strings.Split(strings.TrimRight(string(input), "\\n"), "\\n") {
		fields := strings.Split(line, "\\t")
		headers := map[string]string{}
		for at := 3; at < len(fields); at += 2 {
			headers[string(bytesOf(fields[at]))] = string(bytesOf(fields[at+1]))
		}
		seconds, _ := strconv.ParseInt(fields[1], 10, 64)
		header := func(name string) string { return headers[name] }
		fmt.Println(Verify(string(bytesOf(fields[0])), header, bytesOf(fields[2]), time.Unix(seconds, 0)))
	}
}
`,
  }),
}

const javaProgram = `
public class Run {
    static byte[] bytes(String field) { return java.util.Base64.getDecoder().decode(field); }

    public static void main(String[] args) throws Exception {
        String input = new String(System.in.readAllBytes(), UTF_8);
        for (String line : input.stripTrailing().lines().toList()) {
            String[] fields = line.split("\\t", -1);
            java.util.Map<String, String> headers = new java.util.HashMap<>();
            for (int at = 3; at < fields.length; at += 2)
                headers.put(new String(bytes(fields[at]), UTF_8), new String(bytes(fields[at + 1]), UTF_8));
            String secret = new String(bytes(fields[0]), UTF_8);
            System.out.println(Webhooks.verify(secret, headers::get, bytes(fields[2]), Long.parseLong(fields[1])));
        }
    }
}
`

const java: Language = {
  name: 'Java',
  fence: 'java',
  probe: ['javac', '--version'],
  run: ['java', '-XX:TieredStopAtLevel=1', 'Run.java'],
  // Java runs the first class of a single file: it stands between the snippet's imports and its class.
  files: (snippet) => ({
    'Run.java': snippet.replace(/^(?:import .*\n|\n)*/, (imports) => imports + javaProgram),
  }),
}

export const languages: Language[] = [node, python, php, go, java]
