import { type PageQuery, pageQuery } from '../../../schemas/page.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type Page, readPage, readSlice, type Slice } from '../../pagination.ts'
import type { Endpoint } from './endpoint.ts'

/** Judges the query of a list that has no filters. */
export const parsePage = (deps: Pick<Deps, 'validate'>, query: unknown): Slice =>
  readSlice(deps.validate<PageQuery>(pageQuery, query))

/** The endpoints of the caller's business, newest first. */
export const listEndpoints = (
  deps: Pick<Deps, 'Endpoint'>,
  caller: Caller,
  slice: Slice,
): Promise<Page<Endpoint>> =>
  readPage<Endpoint>(
    deps.Endpoint,
    { businessId: caller.businessId, deletedAt: null },
    { createdAt: -1, _id: -1 },
    slice,
  )
