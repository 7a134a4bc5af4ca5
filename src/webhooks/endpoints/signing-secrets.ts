import { randomBytes } from 'node:crypto'
import type { Secrets } from '../../secrets.ts'
import type { Endpoint } from './endpoint.ts'

/** 64 hex characters (SPEC 2.2). */
export const newSecret = (): string => randomBytes(32).toString('hex')

/** What signs an attempt at `now`: the current secret, then the replaced ones whose time is not up, newest first. */
export function signingSecrets(
  secrets: Pick<Secrets, 'unseal'>,
  endpoint: Pick<Endpoint, 'secret' | 'previousSecrets'>,
  now: Date,
): [current: string, ...previous: string[]] {
  const valid = endpoint.previousSecrets.filter(({ validUntil }) => validUntil > now)
  const previous = valid.flatMap(({ secret }) => unsealed(secrets, secret) ?? [])
  return [secrets.unseal(endpoint.secret), ...previous]
}

/** Null for one sealed under a SECRET_KEY that is gone: a rotation is how an endpoint recovers from just that. */
function unsealed(secrets: Pick<Secrets, 'unseal'>, sealed: string): string | null {
  try {
    return secrets.unseal(sealed)
  } catch {
    return null
  }
}
