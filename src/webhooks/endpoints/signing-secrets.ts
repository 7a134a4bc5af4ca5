import { randomBytes } from 'node:crypto'
import type { SealedField, Secrets } from '../../security/seal.ts'
import { type Endpoint, endpoints } from './endpoint.ts'

/** Returns a random secret of 64 hex characters (SPEC 2.2). */
export const newSecret = (): string => randomBytes(32).toString('hex')

/**
 * Returns the fields with which a response shows a secret. `standardSecret` encodes the same 32 bytes in the form that
 * the libraries of Standard Webhooks expect.
 */
export const presentSecret = (secret: string): { secret: string; standardSecret: string } => ({
  secret,
  standardSecret: `whsec_${Buffer.from(secret, 'hex').toString('base64')}`,
})

/**
 * Returns the field for which all of an endpoint's secrets are sealed. Replaced secrets are also sealed for this field,
 * because a rotation moves the sealed secret to `previousSecrets` without unsealing it.
 */
export const secretField = (endpointId: string): SealedField => ({
  collection: endpoints.name,
  id: endpointId,
  field: 'secret',
})

/**
 * Returns the secrets with which an attempt at `now` must be signed. The current secret comes first, followed by the
 * replaced secrets that are still valid, from the newest to the oldest.
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
 * Unseals a replaced secret. Returns null if the SECRET_KEY that sealed the secret has been lost. If this function
 * threw an error instead, attempts at the endpoint would continue to fail even after its secret had been rotated.
 */
function unsealed(secrets: Pick<Secrets, 'unseal'>, sealed: string, field: SealedField): string | null {
  try {
    return secrets.unseal(sealed, field)
  } catch {
    return null
  }
}
