import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type Page, readPage, type Slice } from '../../input/pagination.ts'
import { type Endpoint, standing } from './endpoint.ts'

/** The endpoints of the caller's business, newest first. */
export const listEndpoints = (
  deps: Pick<Deps, 'Endpoint'>,
  caller: Caller,
  slice: Slice,
): Promise<Page<Endpoint>> =>
  readPage<Endpoint>(
    deps.Endpoint,
    { where: { businessId: caller.businessId, ...standing }, index: 'slotInUse' },
    slice,
  )
