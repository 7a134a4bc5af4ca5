import type { Response } from 'express'
import { writeHead } from '../answer.ts'
import type { ResponseMemory } from './budget.ts'

/** A success whose bytes are complete, and the memory that they take. */
export interface BuiltResponse {
  parts: Buffer[]
  memory: ResponseMemory
}

/** Sends a response as fast as the client takes it, and gives back the memory of each part that is out. */
export async function sendBuilt(res: Response, { parts, memory }: BuiltResponse): Promise<void> {
  writeHead(res, { status: 200, code: null, headers: {} }, sizeOf(parts))
  if (res.req.method === 'HEAD') parts.length = 0
  for (let part = parts.shift(); !res.closed; part = parts.shift()) {
    if (part === undefined || parts.length === 0) return void res.end(part)
    if (!res.write(part)) await drained(res)
    memory.release(part.length)
  }
}

export const sizeOf = (parts: readonly Buffer[]): number => parts.reduce((sum, { length }) => sum + length, 0)

/** The client has taken what was written, or is gone. */
function drained(res: Response): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      res.off('drain', end).off('close', end)
      resolve()
    }
    res.once('drain', end).once('close', end)
  })
}
