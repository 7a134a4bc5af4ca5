import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Refusal, refuse } from '../../errors.ts'
import type { Page } from '../../pagination.ts'
import { success } from '../answer.ts'

/** Parts are about so long, so that what the client has taken is not kept with the rest. */
const partLength = 64 * 1024
/** After so much text, other requests get a turn of the event loop. */
const lengthPerTurn = 1024 * 1024

/** The envelope of a success as bytes. */
export const buildOne = async (data: unknown): Promise<Buffer[]> => [Buffer.from(success(200, data).body)]

/** The same of a page, item by item: the text of a large page is never in memory beside its bytes. Throws if it is over `most` bytes. */
export async function buildPage({ items, ...page }: Page<unknown>, most: number): Promise<Buffer[]> {
  const parts: Buffer[] = []
  let length = 0
  let text = '{"success":true,"data":{"items":['
  for (const [place, item] of items.entries()) {
    text += `${place === 0 ? '' : ','}${JSON.stringify(item)}`
    if (text.length < partLength) continue
    const part = Buffer.from(text)
    parts.push(part)
    text = ''
    length += part.length
    if (length > most) throw tooLarge(most)
    if (length % lengthPerTurn < part.length) await nextTurn()
  }
  parts.push(Buffer.from(`${text}],${JSON.stringify(page).slice(1)}}`))
  return parts
}

const tooLarge = (limit: number): Refusal =>
  refuse('RATE_LIMITED', {
    message: 'This page is too large. Ask for fewer items at once, with `limit`.',
    details: { scope: 'responses', limit },
    retryAfterSeconds: 1,
  })
