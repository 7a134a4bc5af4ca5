import { randomBytes } from 'node:crypto'
import type { SealedField, Secrets } from '../../secrets.ts'
import { type Endpoint, endpoints } from './endpoint.ts'

/** 64 hex characters (SPEC 2.2). */
export const newSecret = (): string => randomBytes(32).toString('hex')

/**
 * The field that every secret of an endpoint is sealed for. All share one, because a rotation moves a sealed secret to `previousSecrets`
 * without opening it.
 */
export const secretField = (endpointId: string): SealedField => ({
  collection: endpoints.name,
  id: endpointId,
  field: 'secret',
})

/** What signs an attempt at `now`: the current secret, then the replaced ones whose time is not up, newest first. */
export function signingSecrets(
  secrets: Pick<Secrets, 'unseal'>,
  endpoint: Pick<Endpoint, '_id' | 'secret' | 'previousSecrets'>,
  now: Date,
): [current: string, ...previous: string[]] {
  const valid = endpoint.previousSecrets.filter(({ validUntil }) => validUntil > now)
  const field = secretField(endpoint._id)
  const previous = valid.flatMap(({ secret }) => unsealed(secrets, secret, field) ?? [])
  return [secrets.unseal(endpoint.secret, field), ...previous]
}

/** Null for one sealed under a SECRET_KEY that is gone: a rotation is how an endpoint recovers from just that. */
function unsealed(secrets: Pick<Secrets, 'unseal'>, sealed: string, field: SealedField): string | null {
  try {
    return secrets.unseal(sealed, field)
  } catch {
    return null
  }
}
