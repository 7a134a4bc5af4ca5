import type { Manner } from './manners.ts'

export const businessesCount = 7
/** SPEC 8 */
export const hooksPerBusiness = 5

/** The first endpoint of each business accepts everything; the others get these in turn. */
const troubles: readonly Manner[] = [
  ...(['flaky', 'error', 'early', 'slow', 'moody', 'hang', 'ok', 'reset'] as const),
  ...(['refuse', 'huge', 'cut', 'late', 'garbage', 'redirect', 'gone', 'ok'] as const),
]

/** The path of an endpoint; both numbers count from 0. */
export const hookName = (business: number, hook: number): string =>
  `/hook/${business * hooksPerBusiness + hook + 1}`

/** How an endpoint behaves at first. */
export function mannerOf(business: number, hook: number): Manner {
  if (hook === 0) return 'ok'
  return troubles[(business * (hooksPerBusiness - 1) + hook - 1) % troubles.length] ?? 'ok'
}

/** Every endpoint, and how it behaves at first. */
export const hooks = (): Map<string, Manner> =>
  new Map(
    Array.from({ length: businessesCount * hooksPerBusiness }, (_, index) => {
      const [business, hook] = [Math.floor(index / hooksPerBusiness), index % hooksPerBusiness]
      return [hookName(business, hook), mannerOf(business, hook)] as const
    }),
  )
