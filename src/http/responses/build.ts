import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Page } from '../../input/pagination.ts'
import { maxPageBytes, PageTooLarge } from '../../limits/capacity.ts'

/** The approximate length of each part of a response. A part's memory is released once the client has read the part. */
const partLength = 64 * 1024
/**
 * The approximate length of the text that `buildPage` builds before it yields to other requests. Building text of this
 * length takes 3 ms.
 */
const sliceLength = 256 * 1024

/**
 * Builds the envelope for a page item by item, so that memory never contains two copies of a large page. Throws
 * PageTooLarge if the page exceeds `maxPageBytes`.
 */
export async function buildPage({ items, ...page }: Pick<Page<unknown>, 'items'>): Promise<Buffer[]> {
  const parts: Buffer[] = []
  let length = 0
  let text = '{"success":true,"data":{"items":['
  for (const [index, item] of items.entries()) {
    text += `${index === 0 ? '' : ','}${JSON.stringify(item)}`
    if (text.length < partLength) continue
    const part = Buffer.from(text)
    parts.push(part)
    text = ''
    length += part.length
    if (length > maxPageBytes) throw new PageTooLarge()
    if (length % sliceLength < part.length) await yieldToOthers()
  }
  parts.push(Buffer.from(`${text}],${JSON.stringify(page).slice(1)}}`))
  return parts
}
