import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Request, Response } from 'express'
import type { Deadline } from '../server/deadline.ts'
import { setApiHeaders } from './envelope.ts'

/** A file that is made while it is sent: its text piece by piece, never empty. */
export interface Download {
  /** With its charset. */
  contentType: string
  fileName: string
  pieces: AsyncGenerator<string, void, undefined>
}

/** A download whose first piece is there: until then it can be refused like anything else. */
export interface DownloadBegun extends Download {
  first: string
}

/** Waits for the first piece as long as the request's timeouts lasts. */
export async function beginDownload(file: Download, deadline: Deadline): Promise<DownloadBegun> {
  try {
    const { value } = await deadline.run(() => file.pieces.next())
    return { ...file, first: value ?? '' }
  } catch (error) {
    end(file)
    throw error
  }
}

/**
 * Sends a file as fast as the caller takes it. What fails half-way is thrown, and the connection must then be cut: its end would make the
 * file look whole.
 */
export async function sendDownload(req: Request, res: Response, file: DownloadBegun): Promise<void> {
  res.locals.code = null
  res.setHeader('Content-Type', file.contentType)
  res.setHeader('Content-Disposition', `attachment; filename="${file.fileName}"`)
  setApiHeaders(res)
  if (res.app.locals.isStopping()) res.setHeader('Connection', 'close')
  if (req.method === 'HEAD') {
    end(file)
    res.end()
    return
  }
  try {
    await pipeline(Readable.from(withFirst(file)), res)
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
    // The client disconnected or read too slowly (connections/cut-slow.ts). Its log line has a null status.
  } finally {
    end(file)
  }
}

async function* withFirst({ first, pieces }: DownloadBegun): AsyncGenerator<string, void, undefined> {
  yield first
  yield* pieces
}

/** Lets go of what its pieces come from. A fault of theirs was told already, or is nobody's any more. */
const end = ({ pieces }: Download): void => void pieces.return().catch(() => undefined)
