import type { mongo } from 'mongoose'
import type { Caller } from '../businesses/caller.ts'
import { type Page, type PageRequest, readPage } from '../lists/pagination.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Deps } from '../platform/deps.ts'
import { refuse } from '../platform/errors.ts'
import { findEndpoint } from '../webhooks/endpoints/find.ts'
import type { Replay } from './replay.ts'

/**
 * Finds a replay of one of the caller's endpoints. Throws REPLAY_NOT_FOUND if the endpoint has no replay with this id
 * or belongs to another business, and SANDBOX_MISMATCH if the replay belongs to the other environment.
 */
export async function findReplay(
  deps: Pick<Deps, 'Replay'>,
  { businessId, sandbox }: Caller,
  endpointId: string,
  id: string,
  session?: mongo.ClientSession,
): Promise<Replay> {
  const own = { _id: id, endpointId, businessId }
  const replay = await nativeCollection(deps.Replay).findOne(own, { ...(session && { session }) })
  if (replay === null) throw refuse('REPLAY_NOT_FOUND')
  if (replay.sandbox !== sandbox) throw refuse('SANDBOX_MISMATCH')
  return replay
}

/**
 * Lists the replays of one of the caller's endpoints, newest first. Throws the same errors as `findEndpoint`.
 */
export async function listReplays(
  deps: Pick<Deps, 'Replay' | 'Endpoint'>,
  caller: Caller,
  endpointId: string,
  slice: PageRequest,
): Promise<Page<Replay>> {
  await findEndpoint(deps, caller, endpointId)
  const { businessId, sandbox } = caller
  return readPage<Replay>(
    deps.Replay,
    { where: { endpointId, sandbox, businessId }, index: 'byEndpoint' },
    slice,
  )
}

/** The number of replays that staff and operators see. */
const maxLatest = 10

/**
 * Returns the latest replays of an endpoint, newest first. The filter names both environments so that MongoDB can use
 * the index.
 */
export const latestReplays = ({ Replay }: Pick<Deps, 'Replay'>, endpointId: string): Promise<Replay[]> =>
  Replay.find({ endpointId, sandbox: { $in: [true, false] } })
    .sort({ createdAt: -1, _id: -1 })
    .limit(maxLatest)
    .lean<Replay[]>()
