import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { pretty, show } from './screen.ts'

const LIMIT_MS = 30_000
const run = promisify(execFile)

/**
 * Runs a command of the command line as an operator would, and shows it with its output.
 * @throws {Error} with the output of a command that fails
 */
export async function admin(words: readonly string[]): Promise<Record<string, string>> {
  const args = ['src/admin/main.ts', ...words, '--json']
  const shown = ['npm run --silent admin --', ...words.map(quoted), '--json'].join(' ')
  const { stdout } = await run(process.execPath, args, { timeout: LIMIT_MS }).catch((error: Error) => {
    const { stderr, killed } = error as { stderr?: string; killed?: boolean }
    const fault = killed ? `did not end within ${LIMIT_MS / 1000} s` : 'failed'
    throw new Error(`\`${shown}\` ${fault}: ${stderr?.trim() || error.message}`)
  })
  show([...broken(shown), ...pretty(stdout)])
  return JSON.parse(stdout) as Record<string, string>
}

const quoted = (word: string): string => (/^[\w-]+$/.test(word) ? word : `'${word}'`)

/** Breaks a long command into two lines for a shell. */
const broken = (command: string): string[] =>
  command.length < 76 ? [command] : command.replace(' --business', ' \\\n  --business').split('\n')
