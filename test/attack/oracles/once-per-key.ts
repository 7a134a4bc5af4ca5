import type { Oracle } from './seen.ts'

/**
 * Requests with one idempotency key get one answer, whatever their bodies: all that is done is done once, and what is told again is what
 * was told first.
 */
export function createOncePerKey(): Oracle {
  const kept = new Map<string, string>()
  return ({ actor, attack, answer, line, idempotencyKey }) => {
    const isReplay = answer.headers.get('idempotent-replayed') === 'true'
    // A request that could not be read is refused by itself, and the next one is the first.
    const isKept = isReplay || answer.status < 300
    if (idempotencyKey?.startsWith('scene-') !== true || !line.startsWith('/api/v1/') || !isKept) return null
    const place = [actor.key, attack.method, line.split('?')[0], idempotencyKey].join(' ')
    const before = kept.get(place) ?? answer.body
    kept.set(place, before)
    return before === answer.body
      ? null
      : `answered ${answer.body.slice(0, 200)} after ${before.slice(0, 200)}`
  }
}
