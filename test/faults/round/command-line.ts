import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { killOnExit } from '../../support/child.ts'

/** Runs one command of the operator's command line, `business create --name N`, and answers its JSON. @throws {Error} with what it said */
export type CommandLine = (args: string[]) => Promise<Record<string, unknown>>

/** What became of a command. */
interface Done {
  code: number
  said: string
}

/** One process for all commands of a round: a start of its own takes each of them half a second. One runs at a time. */
export function openCommandLine(
  build: string,
  environment: Record<string, string>,
): { run: CommandLine; close(): void } {
  const child = fork(join(import.meta.dirname, 'run-commands.mjs'), [join(build, 'src/admin/main.js')], {
    env: { PATH: process.env.PATH ?? '', ...environment },
    execArgv: [],
  })
  killOnExit(child)
  const ended = once(child, 'exit').then((): Done => ({ code: 1, said: 'it ended' }))
  const run: CommandLine = async (args) => {
    const answered = new Promise<Done>((resolve) => child.once('message', (done) => resolve(done as Done)))
    child.send(args)
    const { code, said } = await Promise.race([answered, ended])
    if (code !== 0) throw new Error(`admin ${args.join(' ')}: ${said}`)
    return JSON.parse(said) as Record<string, unknown>
  }
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(args) {
      const result = last.then(() => run(args))
      last = result.catch(() => undefined)
      return result
    },
    close: () => void child.kill('SIGKILL'),
  }
}
