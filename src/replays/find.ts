import type { mongo } from 'mongoose'
import type { Caller } from '../businesses/caller.ts'
import { type Page, type PageRequest, readPage } from '../lists/pagination.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Deps } from '../platform/deps.ts'
import { refuse } from '../platform/errors.ts'
import { findEndpoint } from '../webhooks/endpoints/find.ts'
import type { Replay } from './replay.ts'

/** Throws REPLAY_NOT_FOUND, and SANDBOX_MISMATCH if it's in the other environment. */
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

/** Newest first. */
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

/** Staff and operators see this many. */
const maxLatest = 10

/** Newest first. MongoDB uses the index only if the filter names both environments. */
export const latestReplays = ({ Replay }: Pick<Deps, 'Replay'>, endpointId: string): Promise<Replay[]> =>
  Replay.find({ endpointId, sandbox: { $in: [true, false] } })
    .sort({ createdAt: -1, _id: -1 })
    .limit(maxLatest)
    .lean<Replay[]>()
