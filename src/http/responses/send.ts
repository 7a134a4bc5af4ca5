import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Response } from 'express'
import { maxPageBytes, PageTooLarge } from '../../limits/capacity.ts'
import type { ResponseMemory } from '../../limits/memory.ts'
import type { Page } from '../../lists/pagination.ts'
import { csvContentType, setFileHeaders } from './download.ts'
import { writeApiHeaders } from './envelope.ts'

export interface BuiltResponse {
  parts: Buffer[]
  memory: ResponseMemory
  csvName: string | null
}

export async function sendBuiltResponse(
  res: Response,
  { parts, memory, csvName }: BuiltResponse,
): Promise<void> {
  writeApiHeaders(res, { status: 200, code: null, headers: {} }, totalBytes(parts))
  if (csvName !== null) setFileHeaders(res, { contentType: csvContentType, fileName: csvName })
  if (res.req.method === 'HEAD') parts.length = 0
  for (let part = parts.shift(); !res.closed; part = parts.shift()) {
    if (part === undefined || parts.length === 0) return void res.end(part)
    if (!res.write(part)) await drained(res)
    memory.wasRead(part.length)
  }
}

export const totalBytes = (parts: readonly Buffer[]): number =>
  parts.reduce((sum, { length }) => sum + length, 0)

function drained(res: Response): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      res.off('drain', end).off('close', end)
      resolve()
    }
    res.once('drain', end).once('close', end)
  })
}

const partLength = 64 * 1024
/** Building this much takes about 3 ms. Other requests can run after that. */
const sliceLength = 256 * 1024

/** Builds a page item by item, so that it's never in memory twice. */
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
