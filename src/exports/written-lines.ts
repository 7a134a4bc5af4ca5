import type { FileHandle } from 'node:fs/promises'

const bytesPerRead = 1024 * 1024
/** The maximum length of a line in bytes. A longer line cannot be part of an export, so it is not read. */
const longestLine = 64 * 1024

const lineFeed = 0x0a
const quote = 0x22

/**
 * Finds the complete lines of a file from the position `start` on. The file is read in pieces, so it may be larger than
 * the memory. With `quotes`, a line feed between quotes does not end a line, because CSV cells can contain line breaks.
 */
export async function findLines(file: FileHandle, start: number, quotes: boolean) {
  const buffer = Buffer.alloc(bytesPerRead)
  let count = 0
  let isQuoted = false
  let firstEnd = start
  let lastStart = start
  let end = start
  for (let position = start; ; ) {
    const { bytesRead } = await file.read(buffer, 0, bytesPerRead, position)
    if (bytesRead === 0) break
    for (let index = 0; index < bytesRead; index += 1) {
      const byte = buffer[index]
      if (byte === quote && quotes) isQuoted = !isQuoted
      if (byte !== lineFeed || isQuoted) continue
      lastStart = end
      end = position + index + 1
      count += 1
      if (count === 1) firstEnd = end
    }
    position += bytesRead
  }
  return {
    count,
    /** The position after the last complete line, in bytes. */
    end,
    /** The first and the last complete line, with their line ends. Empty if there is none. */
    first: await textBetween(file, start, firstEnd),
    last: await textBetween(file, lastStart, end),
  }
}

/** Returns the text between two positions, or an empty text if it is too long to be a line. */
async function textBetween(file: FileHandle, start: number, end: number): Promise<string> {
  const length = end - start
  if (length > longestLine) return ''
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, start)
  return buffer.toString('utf8')
}
