import type { Behaviour } from './behaviours.ts'

export const businessesCount = 7
/** SPEC 8 */
export const hooksPerBusiness = 5

/** The behaviours of endpoints in turn, except the first one of each business, which accepts everything. */
const troubles: readonly Behaviour[] = [
  ...(['flaky', 'error', 'early', 'slow', 'random', 'hang', 'ok', 'reset'] as const),
  ...(['refuse', 'huge', 'cut', 'late', 'garbage', 'redirect', 'gone', 'ok'] as const),
]

/** The path of an endpoint. Both numbers count from 0. */
export const hookName = (business: number, hook: number): string => `/hook/${business * hooksPerBusiness + hook + 1}`

/** The initial behaviour of an endpoint. */
export function behaviourOf(business: number, hook: number): Behaviour {
  if (hook === 0) return 'ok'
  return troubles[(business * (hooksPerBusiness - 1) + hook - 1) % troubles.length] ?? 'ok'
}

/** Every endpoint with its initial behaviour. */
export const hooks = (): Map<string, Behaviour> =>
  new Map(
    Array.from({ length: businessesCount * hooksPerBusiness }, (_, index) => {
      const [business, hook] = [Math.floor(index / hooksPerBusiness), index % hooksPerBusiness]
      return [hookName(business, hook), behaviourOf(business, hook)] as const
    }),
  )
