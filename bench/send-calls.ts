import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Runtime, runProcess } from './processes.ts'
import type { Call, Requests, Timed } from './requests.ts'

/** Requests with their calls in memory instead of a file. */
export interface CallsInput extends Omit<Requests, 'file'> {
  calls: Call[]
}

/** Sends calls in a separate process. @throws {Error} if a response is not 2xx */
export async function sendCalls(runtime: Runtime, input: CallsInput): Promise<Timed> {
  const timed = await sendRefusableCalls(runtime, input)
  if (timed.failed > 0) throw new Error(`${timed.failed} requests to ${input.origin} did not succeed`)
  return timed
}

/** Sends calls of which some may be refused. */
export function sendRefusableCalls(runtime: Runtime, { calls, ...rest }: CallsInput): Promise<Timed> {
  const file = join(runtime.folder, 'calls.json')
  writeFileSync(file, JSON.stringify(calls))
  const requests: Requests = { ...rest, file }
  return runProcess<Timed>(runtime, 'requests', 'bench/requests.ts', [JSON.stringify(requests)])
}
