import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runProcess, type Where } from './processes.ts'
import type { Call, Requests, Timed } from './requests.ts'

/** What is sent: `calls` in turn, so many at a time. */
export interface Sent extends Omit<Requests, 'file'> {
  calls: Call[]
}

/** @throws {Error} if a response is not 2xx */
export async function sendCalls(where: Where, sent: Sent): Promise<Timed> {
  const timed = await trySendingCalls(where, sent)
  if (timed.failed > 0) throw new Error(`${timed.failed} requests to ${sent.origin} did not succeed`)
  return timed
}

/** The same, but some requests may be refused. */
export function trySendingCalls(where: Where, { calls, ...how }: Sent): Promise<Timed> {
  const file = join(where.folder, 'calls.json')
  writeFileSync(file, JSON.stringify(calls))
  const asked: Requests = { ...how, file }
  return runProcess<Timed>(where, 'requests', 'bench/requests.ts', [JSON.stringify(asked)])
}
