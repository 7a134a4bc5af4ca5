import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Request, Response } from 'express'
import type { Deadline } from '../server/timeouts.ts'
import { writeApiHeaders } from './envelope.ts'

/** None of the `pieces` may be empty. */
export interface FileDownload {
  contentType: string
  fileName: string
  pieces: AsyncGenerator<string, void, undefined>
}

export interface StartedDownload extends FileDownload {
  first: string
}

export async function startDownload(file: FileDownload, deadline: Deadline): Promise<StartedDownload> {
  try {
    const { value } = await deadline.run(() => file.pieces.next())
    return { ...file, first: value ?? '' }
  } catch (error) {
    end(file)
    throw error
  }
}

/** After an error, destroy the connection, or the file would look complete. */
export async function sendDownload(req: Request, res: Response, file: StartedDownload): Promise<void> {
  writeApiHeaders(res, { status: 200, code: null, headers: {} })
  setFileHeaders(res, file)
  if (req.method === 'HEAD') {
    end(file)
    res.end()
    return
  }
  // By default, Node.js warns about more than 10 listeners.
  res.setMaxListeners(20)
  try {
    // By default, a stream reads 16 pieces ahead of a slow client.
    await pipeline(Readable.from(withFirst(file), { highWaterMark: 1 }), res)
  } catch (error) {
    if (!isGone(error)) throw error
    // The client has disconnected or read too slowly.
  } finally {
    end(file)
  }
}

const isGone = (error: unknown): boolean =>
  /^ERR_STREAM_(PREMATURE_CLOSE|UNABLE_TO_PIPE)$/.test((error as { code?: string }).code ?? '')

export const csvContentType = 'text/csv; charset=utf-8'
export const exportTypes = { csv: csvContentType, jsonl: 'application/x-ndjson' } as const

export interface CsvFile {
  name: string
  text: string
}

export const prefersCsv = (req: Request): boolean =>
  req.accepts(['application/json', 'text/csv']) === 'text/csv'

export function setFileHeaders(
  res: Response,
  { contentType, fileName }: Pick<FileDownload, 'contentType' | 'fileName'>,
): void {
  res.setHeader('Content-Type', contentType)
  res.setHeader('Content-Disposition', `attachment; filename="${fileName}"`)
}

async function* withFirst({ first, pieces }: StartedDownload): AsyncGenerator<string, void, undefined> {
  yield first
  yield* pieces
}

/** Errors have already been thrown or no longer matter. */
const end = ({ pieces }: FileDownload): void => void pieces.return().catch(() => undefined)
