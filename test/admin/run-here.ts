import { type Command, CommanderError } from 'commander'
import { createProgram } from '../../src/admin/program.ts'

/** Commands run one at a time, because they all share stdout. */
let previous: Promise<unknown> = Promise.resolve()

/** A command that runs in this process takes a tenth of the CPU time. */
export function runHere(args: string[], env: Record<string, string | undefined>) {
  const running = previous.then(() => runAlone(args, env))
  previous = running.catch(() => undefined)
  return running
}

async function runAlone(args: string[], env: Record<string, string | undefined>) {
  const { exitCode, env: environment, stdout, stderr } = process
  const written = { stdout: '', stderr: '' }
  const capture = (name: keyof typeof written) => (text: string | Uint8Array) => {
    written[name] += String(text)
    return true
  }
  const writes = { stdout: stdout.write, stderr: stderr.write }
  try {
    process.env = env
    stdout.write = capture('stdout')
    stderr.write = capture('stderr')
    await withoutExit(createProgram()).parseAsync(args, { from: 'user' })
    return { exitCode: Number(process.exitCode ?? 0), ...written }
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return { exitCode: error.exitCode, ...written }
  } finally {
    process.env = environment
    process.exitCode = exitCode
    Object.assign(stdout, { write: writes.stdout })
    Object.assign(stderr, { write: writes.stderr })
  }
}

function withoutExit(command: Command): Command {
  command.commands.forEach(withoutExit)
  return command.exitOverride()
}
