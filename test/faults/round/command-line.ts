import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { killOnExit } from '../../support/child.ts'

/**
 * Runs one command of the operator's command line, such as `business create --name N`, and returns its JSON.
 * @throws {Error} with the output of a failed command
 */
export type CommandLine = (args: string[]) => Promise<Record<string, unknown>>

type Result = { code: number; output: string }

/** Opens one process for all commands of a round, because each start takes half a second. It runs one at a time. */
export function openCommandLine(build: string, environment: Record<string, string>) {
  const child = fork(join(import.meta.dirname, 'run-commands.mjs'), [join(build, 'src/admin/main.js')], {
    env: { PATH: process.env.PATH ?? '', ...environment },
    execArgv: [],
  })
  killOnExit(child)
  const ended = once(child, 'exit').then((): Result => ({ code: 1, output: 'the process ended' }))
  const run: CommandLine = async (args) => {
    const response = new Promise<Result>((resolve) => child.once('message', (result) => resolve(result as Result)))
    child.send(args)
    const { code, output } = await Promise.race([response, ended])
    if (code !== 0) throw new Error(`admin ${args.join(' ')}: ${output}`)
    return JSON.parse(output) as Record<string, unknown>
  }
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(args: string[]) {
      const result = last.then(() => run(args))
      last = result.catch(() => undefined)
      return result
    },
    close: () => void child.kill('SIGKILL'),
  }
}
