import type { Deps } from '../deps.ts'
import type { OfferedIntent } from './batchers.ts'

/** The intent with this short code, of whichever business and environment; null for no such code. */
export const findByShortCode = (
  deps: Pick<Deps, 'batchers'>,
  shortCode: string,
  until: number,
): Promise<OfferedIntent | null> => deps.batchers.findOffered(shortCode, until)
