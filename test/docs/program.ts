import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { temporaryFolder } from '../support/built.ts'

type CommandLine = [command: string, ...args: string[]]

function isHere(probe: CommandLine): boolean {
  const [command, ...args] = probe
  const found = known.get(probe.join(' ')) ?? spawnSync(command, args).status === 0
  known.set(probe.join(' '), found)
  return found
}
const known = new Map<string, boolean>()

export function skipUnlessHere(test: Mocha.Context, name: string, probe: CommandLine, page: string): void {
  if (isHere(probe)) return
  console.error(`\n${name} is not installed, so its snippet in ${page} was not run.`)
  test.skip()
}

export interface ProgramInput {
  files: Record<string, string>
  environment: Record<string, string>
  input: string
}

export async function writeFiles(folder: string, files: Record<string, string>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
}

export async function runProgram([command, ...args]: CommandLine, input: ProgramInput): Promise<string> {
  const folder = temporaryFolder()
  await writeFiles(folder, input.files)
  const env = { ...process.env, ...input.environment }
  const child = spawn(command, args, { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] })
  // A program that doesn't read stdin may have ended already.
  child.stdin.on('error', () => {})
  child.stdin.end(input.input)
  const output = [text(child.stdout), text(child.stderr)] as const
  const [out, err, [code]] = await Promise.all([...output, once(child, 'close')])
  expect(code, err + out).to.equal(0)
  return out
}
