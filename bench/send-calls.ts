import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Runtime, runProcess } from './processes.ts'
import type { Call, Requests, Timed } from './requests.ts'

type CallsInput = Omit<Requests, 'file'> & { calls: Call[] }

/** In a separate process. @throws {Error} if a response is not as expected */
export async function sendCalls(runtime: Runtime, input: CallsInput): Promise<Timed> {
  const timed = await sendRefusableCalls(runtime, input)
  if (timed.failed > 0) throw new Error(`${timed.failed} requests to ${input.origin} did not succeed`)
  return timed
}

export function sendRefusableCalls(runtime: Runtime, { calls, ...rest }: CallsInput): Promise<Timed> {
  const file = join(runtime.folder, 'calls.json')
  writeFileSync(file, JSON.stringify(calls))
  return runProcess<Timed>(runtime, 'requests', { ...rest, file })
}

/**
 * Returns a function that prepares calls, and then sends them for some seconds over 64 connections, each once. The next
 * round sends what is left. `perSecond`: more than two cores can handle.
 */
export function sendOnce(
  runtime: Runtime,
  origin: string,
  perSecond: number,
  prepare: (count: number) => Promise<Call[]>,
): (seconds: number) => Promise<Timed> {
  let calls: Call[] = []
  return async (seconds) => {
    calls = [...calls, ...(await prepare(Math.max(0, seconds * perSecond - calls.length)))]
    const timed = await sendCalls(runtime, { origin, calls, connections: 64, seconds, eachOnce: true })
    calls = calls.slice(timed.sent)
    return timed
  }
}
