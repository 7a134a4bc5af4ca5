import { hash } from 'node:crypto'
import type { ChainOwner } from '../../chains/append.ts'
import { type Refusal, refuse } from '../../errors.ts'

/**
 * Returns the position in the feed after the event with this number, as merchants see it. The position contains a check
 * value, so that a position of another business or of the other environment is recognised.
 */
export const writePosition = (owner: ChainOwner, number: number): string => `${number}-${checkOf(owner, number)}`

/** Returns the number in a position. Throws VALIDATION_ERROR if the feed of this owner never returned the position. */
export function readPosition(owner: ChainOwner, position: string): number {
  const [, digits, check] = /^(0|[1-9]\d{0,14})-([0-9a-f]{8})$/.exec(position) ?? []
  const number = Number(digits)
  if (digits === undefined || check !== checkOf(owner, number))
    throw invalidPosition(
      'after is not valid. Send the `next` of an earlier response to the same business in the same environment.',
    )
  return number
}

/**
 * The error for a position after the end of the feed. Positions are only returned for events that MongoDB has stored
 * durably, so the database must have been restored from a backup.
 */
export const lostPosition = (): Refusal =>
  invalidPosition(
    'after is past the last event, because the service has lost events. Follow the feed from the beginning, and skip the events that you have already processed.',
  )

const invalidPosition = (message: string): Refusal => refuse('VALIDATION_ERROR', { param: 'after', message })

const checkOf = ({ businessId, sandbox }: ChainOwner, number: number): string =>
  hash('sha256', `${businessId} ${sandbox} ${number}`, 'hex').slice(0, 8)
