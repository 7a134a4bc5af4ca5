import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Response } from 'express'
import { maxPageBytes, PageTooLarge } from '../../limits/capacity.ts'
import type { ReservedResponse } from '../../limits/memory.ts'
import type { Page } from '../../lists/pagination.ts'
import { csvType, nameFile } from './download.ts'
import { writeHead } from './envelope.ts'

/** A complete response and the memory reserved for it. */
export interface BuiltResponse {
  parts: Buffer[]
  memory: ReservedResponse
  /** The name of the file if the response is a CSV file, or null if it is JSON. */
  csvName: string | null
}

/**
 * Sends a response as fast as the client reads it, and releases the memory of each part once that part has been sent.
 */
export async function sendBuilt(res: Response, { parts, memory, csvName }: BuiltResponse): Promise<void> {
  writeHead(res, { status: 200, code: null, headers: {} }, sizeOf(parts))
  if (csvName !== null) nameFile(res, { contentType: csvType, fileName: csvName })
  if (res.req.method === 'HEAD') parts.length = 0
  for (let part = parts.shift(); !res.closed; part = parts.shift()) {
    if (part === undefined || parts.length === 0) return void res.end(part)
    if (!res.write(part)) await drained(res)
    memory.wasRead(part.length)
  }
}

export const sizeOf = (parts: readonly Buffer[]): number => parts.reduce((sum, { length }) => sum + length, 0)

/** Resolves once the client has either read everything written so far or disconnected. */
function drained(res: Response): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      res.off('drain', end).off('close', end)
      resolve()
    }
    res.once('drain', end).once('close', end)
  })
}

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
