import { type FileHandle, open } from 'node:fs/promises'
import type { ExportKind } from '../../schemas/ledger.ts'
import type { ChainOwner } from '../chains/append.ts'
import type { PositionRange } from '../ledger/list.ts'
import type { Deps } from '../platform/deps.ts'
import { type ExportWriter, readExportChunks, readExportedEntries } from './export-ledger.ts'

/** The message is shown to the operator. */
class UnsuitableFile extends Error {}

export interface LedgerFileExport {
  owner: ChainOwner
  kind: ExportKind
  positions: PositionRange
  writer: ExportWriter
  quotes: boolean
}

/** With `resume`, keeps the complete lines of an existing file. */
export async function openExportFile(
  deps: Pick<Deps, 'lists'>,
  path: string,
  wanted: LedgerFileExport,
  resume: boolean,
) {
  const existing = resume ? await openExisting(path) : null
  const file = existing ?? (await create(path))
  try {
    if (existing === null) return { file, lines: 0, bytes: await writeHeader(file, wanted) }
    return { file, ...(await keepLines(deps, file, wanted, path)) }
  } catch (error) {
    await file.close()
    throw error
  }
}

const ownerOnly = 0o600

async function create(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', ownerOnly)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    throw new UnsuitableFile(`${path} already exists. Choose another name, or complete it with --resume.`)
  }
}

async function openExisting(path: string): Promise<FileHandle | null> {
  try {
    const file = await open(path, 'r+')
    if ((await file.stat()).isFile()) return file
    await file.close()
    throw new UnsuitableFile(`${path} is not a file.`)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code

async function writeHeader(file: FileHandle, { writer }: LedgerFileExport): Promise<number> {
  await file.truncate(0)
  return writeAt(file, writer.header, 0)
}

async function writeAt(file: FileHandle, text: string, position: number): Promise<number> {
  const data = Buffer.from(text)
  let done = 0
  while (done < data.length)
    done += (await file.write(data, done, data.length - done, position + done)).bytesWritten
  return position + done
}

async function keepLines(
  deps: Pick<Deps, 'lists'>,
  file: FileHandle,
  wanted: LedgerFileExport,
  path: string,
) {
  const { writer, quotes } = wanted
  const header = Buffer.from(writer.header)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(header.length), 0, header.length, 0)
  if (!buffer.subarray(0, bytesRead).equals(header.subarray(0, bytesRead)))
    throw new UnsuitableFile(
      `${path} does not begin like this export. Use the options that the file was started with.`,
    )
  if (bytesRead < header.length) return { lines: 0, bytes: await writeHeader(file, wanted) }
  const found = await findLines(file, header.length, quotes)
  if (found.count > 0 && !(await isBeginning(deps, wanted, found)))
    throw new UnsuitableFile(
      `${path} contains lines that are not in this export. Use the options that the file was started with.`,
    )
  await file.truncate(found.end)
  return { lines: found.count, bytes: found.end }
}

async function isBeginning(
  deps: Pick<Deps, 'lists'>,
  { owner, kind, positions: { first, last }, writer }: LedgerFileExport,
  found: { count: number; first: string; last: string },
): Promise<boolean> {
  if (found.count > last - first + 1) return false
  const lineAt = async (position: number) =>
    writer.lines(await readExportedEntries(deps, owner, kind, { first: position, last: position }))
  return (await lineAt(first)) === found.first && (await lineAt(first + found.count - 1)) === found.last
}

export async function completeExportFile(
  deps: Pick<Deps, 'lists'>,
  { file, ...done }: Awaited<ReturnType<typeof openExportFile>>,
  { owner, kind, positions, writer }: LedgerFileExport,
  ending: AbortSignal,
  onLines: (count: number) => void,
) {
  let { lines, bytes } = done
  const rest = { first: positions.first + lines, last: positions.last }
  for await (const chunk of readExportChunks(deps, owner, kind, rest, writer)) {
    bytes = await writeAt(file, chunk.text, bytes)
    lines += chunk.lines
    onLines(chunk.lines)
    if (ending.aborted) break
  }
  await file.sync()
  const position = positions.first + lines - 1
  const [last] =
    lines === 0 ? [] : await readExportedEntries(deps, owner, kind, { first: position, last: position })
  return { lines, bytes, last: last?.position ?? null }
}

const bytesPerRead = 1024 * 1024
/** No export contains a longer line. */
const longestLine = 64 * 1024

const lineFeed = 0x0a
const quote = 0x22

/** Reads in chunks, because the file may not fit into memory. */
async function findLines(file: FileHandle, start: number, quotes: boolean) {
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
    end,
    /** Includes the line feed. Empty if there's no complete line. */
    first: await textBetween(file, start, firstEnd),
    last: await textBetween(file, lastStart, end),
  }
}

async function textBetween(file: FileHandle, start: number, end: number): Promise<string> {
  const length = end - start
  if (length > longestLine) return ''
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, start)
  return buffer.toString('utf8')
}
