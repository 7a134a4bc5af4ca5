import { randomBytes } from 'node:crypto'
import type { SealedField, Secrets } from '../../security/seal.ts'
import { type Endpoint, endpoints } from './endpoint.ts'

/** Returns a random secret of 64 hex characters (SPEC 2.2). */
export const newSecret = (): string => randomBytes(32).toString('hex')

/**
 * Returns the field for which all of an endpoint's secrets are sealed. Replaced secrets are sealed for the same field,
 * because a rotation moves the sealed secret to `previousSecrets` without unsealing it.
 */
export const secretField = (endpointId: string): SealedField => ({
  collection: endpoints.name,
  id: endpointId,
  field: 'secret',
})

/**
 * Returns the secrets with which to sign an attempt at `now`: the current one, followed by the replaced ones that are
 * still valid, newest first.
 */
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

/**
 * Returns null for a secret sealed with a SECRET_KEY that has been lost, so that after a rotation the endpoint can be
 * used again.
 */
function unsealed(secrets: Pick<Secrets, 'unseal'>, sealed: string, field: SealedField): string | null {
  try {
    return secrets.unseal(sealed, field)
  } catch {
    return null
  }
}
