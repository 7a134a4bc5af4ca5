import type { Manner } from './manners.ts'

export const businessesCount = 7
/** As many as a business may have endpoints (SPEC 8). */
export const hooksPerBusiness = 5

/** The first of each business accepts all; the others have troubles of their own, dealt out in this order. */
const troubles: readonly Manner[] = [
  ...(['flaky', 'error', 'early', 'slow'] as const),
  ...(['moody', 'hang', 'ok', 'reset'] as const),
  ...(['refuse', 'huge', 'cut', 'late'] as const),
  ...(['garbage', 'redirect', 'gone', 'ok'] as const),
]

/** Where a receiver of a business stands, both counted from 0: those of one business stand together. */
export const hookName = (business: number, hook: number): string =>
  `/hook/${business * hooksPerBusiness + hook + 1}`

/** How a receiver of a business meets deliveries at first. */
export function mannerOf(business: number, hook: number): Manner {
  if (hook === 0) return 'ok'
  return troubles[(business * (hooksPerBusiness - 1) + hook - 1) % troubles.length] ?? 'ok'
}

/** Every receiver, and how it meets deliveries at first. */
export function hooks(): Map<string, Manner> {
  const all = Array.from({ length: businessesCount * hooksPerBusiness }, (_, index) => {
    const [business, hook] = [Math.floor(index / hooksPerBusiness), index % hooksPerBusiness]
    return [hookName(business, hook), mannerOf(business, hook)] as const
  })
  return new Map(all)
}
