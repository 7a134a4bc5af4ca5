import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { cliPath } from '../../src/reference/clients.ts'

/** The command line of npm, even if npm is not on the PATH. */
export function npm(...words: string[]): { command: string; args: string[] } {
  const script = process.env.npm_execpath
  return script ? { command: process.execPath, args: [script, ...words] } : { command: 'npm', args: words }
}

/** Packs the command line for merchants. A service that starts afterwards serves it. Returns the path of its URL. */
export async function packCli(): Promise<string> {
  const { command, args } = npm('run', '--silent', 'pack')
  await promisify(execFile)(command, args)
  return cliPath
}
