import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCommand } from '../dev/command.ts'
import { buildFolder, compile } from '../support/built.ts'
import type { Merchant } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { withOpened } from '../support/with.ts'

const root = join(import.meta.dirname, '../..')

let compiled: string | undefined

/** Compiles the CLI once per test run, so that it starts four times as fast. Returns its main file. */
function compileCli(): string {
  if (compiled === undefined) {
    const folder = buildFolder('test-cli')
    compile(root, folder, '-p', join(root, 'cli'))
    compiled = join(folder, 'cli/main.js')
  }
  return compiled
}

export type Cli = ReturnType<typeof start>

/** After each test, ends its processes, which have their own configuration folder. */
export const withCli = () =>
  withOpened(
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'cli-'))
      const started: Cli[] = []
      return {
        folder,
        start(words: string[], environment: Record<string, string> = {}): Cli {
          const cli = start(words, { XDG_CONFIG_HOME: folder, ...environment })
          started.push(cli)
          return cli
        },
        async close() {
          for (const cli of started) cli.kill('SIGKILL')
          await Promise.all(started.map(({ ended }) => ended))
          await rm(folder, { recursive: true })
        },
      }
    },
    ({ close }) => close(),
    'test',
  )

export const keyOf = ({ key }: Merchant, origin: string) => ({
  PAYMENTS_API_KEY: key,
  PAYMENTS_API_URL: `${origin}/api/v1`,
})

function start(words: string[], environment: Record<string, string>) {
  const { output, ended, kill } = startCommand([process.execPath, compileCli(), ...words], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...environment },
  })
  const seen = (text: string) =>
    waitFor(`${text} in\n${output.stdout}\n${output.stderr}`, () =>
      (output.stdout + output.stderr).includes(text),
    )
  return {
    output,
    ended,
    kill,
    seen,
    /** Resolves once `listen` can no longer miss an event. */
    ready: () => seen('Ready.'),
    /** Waits until stdout has this many lines. */
    lines: (count = 0) =>
      waitFor(`${count} lines in ${output.stdout}`, () => {
        const lines = output.stdout.split('\n').slice(0, -1)
        return lines.length >= count && lines
      }),
  }
}
