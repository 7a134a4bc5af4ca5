import type { Response } from 'express'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import type { Deadline } from '../server/deadline.ts'
import type { OperationInput, ReadRoute } from './route.ts'

/**
 * Holds a request if its route and query permit it. The hold ends at the latest when the client disconnects. Only the
 * reads during the hold count towards the deadline.
 */
export async function hold(
  deps: Deps,
  route: ReadRoute,
  caller: Caller,
  input: OperationInput,
  deadline: Deadline,
  res: Response,
): Promise<{ query: unknown } | { data: unknown } | null> {
  if (route.hold === undefined) return null
  const gone = new AbortController()
  const abort = (): void => gone.abort()
  res.once('close', abort)
  try {
    const holding = { read: deadline.run, signal: gone.signal }
    return await route.hold(deps, caller, input as OperationInput<never>, holding)
  } finally {
    res.off('close', abort)
  }
}
