import type { Response } from 'express'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { unavailable } from '../../errors.ts'
import type { Deadline } from '../server/deadline.ts'
import type { OperationInput, ReadRoute } from './route.ts'

/**
 * Holds a request if its input requests this. Returns the input with which the operation then runs, or null if the
 * request was not to be held. Only the reads during the hold count towards the deadline, not the hold itself. The hold
 * ends when the client disconnects.
 */
export async function hold(
  deps: Deps,
  route: ReadRoute,
  caller: Caller,
  input: OperationInput,
  deadline: Deadline,
  res: Response,
): Promise<OperationInput | null> {
  if (route.hold === undefined) return null
  const gone = new AbortController()
  const abort = (): void => gone.abort()
  res.once('close', abort)
  try {
    const holding = { read: deadline.run, signal: gone.signal }
    const held = await route.hold(deps, caller, input as OperationInput<never>, holding)
    if (res.closed) throw unavailable()
    return held
  } finally {
    res.off('close', abort)
  }
}
