import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { cliPath } from '../../src/reference/clients.ts'
import { npm } from '../setup/run.mjs'

/** Packs the command line for merchants. A service that starts afterwards serves it. Returns the path of its URL. */
export async function packCli(): Promise<string> {
  const [command, ...args] = npm(process.execPath, 'run', '--silent', 'pack')
  await promisify(execFile)(command, args)
  return cliPath
}
