import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'

type CommandLine = [command: string, ...args: string[]]

/** Whether a program is on this machine: its probe ends with 0. */
const isHere = ([command, ...args]: CommandLine): boolean => spawnSync(command, args).status === 0

/** Skips a test whose language this machine lacks, and says so. */
export function skipUnlessHere(test: Mocha.Context, name: string, probe: CommandLine, page: string): void {
  if (isHere(probe)) return
  console.error(`\n${name} is not on this machine: its snippet in ${page} was not run.`)
  test.skip()
}

/** What it is given: its files by name, what its environment has beside ours, and its stdin. */
export interface Given {
  files: Record<string, string>
  environment: Record<string, string>
  input: string
}

/** Runs a program in a folder of its own, which is removed; answers its stdout. It must end with 0. */
export async function runProgram([command, ...args]: CommandLine, given: Given): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'docs-snippet-'))
  try {
    const files = Object.entries(given.files)
    await Promise.all(files.map(([name, content]) => writeFile(join(folder, name), content)))
    const env = { ...process.env, ...given.environment }
    const child = spawn(command, args, { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] })
    // Whoever does not read it may have ended.
    child.stdin.on('error', () => {})
    child.stdin.end(given.input)
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ])
    expect(code, err + out).to.equal(0)
    return out
  } finally {
    await rm(folder, { recursive: true })
  }
}
