import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { type Arrival, type Call, type Exit, type Fault, files, type ProviderRequest } from './evidence.ts'

export type Recording = ReturnType<typeof openRecord>

/** Writes evidence as things happen. Only one process writes each of a folder's files. */
export function openRecord(folder: string) {
  mkdirSync(folder, { recursive: true })
  const streams = new Map<string, WriteStream>()
  function writerOf<Line extends object>(file: string): (line: Line) => void {
    return (line) => {
      const stream = streams.get(file) ?? createWriteStream(join(folder, file), { flags: 'a' })
      streams.set(file, stream)
      stream.write(`${JSON.stringify(line)}\n`)
    }
  }
  return {
    call: writerOf<Call>(files.calls),
    arrival: writerOf<Arrival>(files.arrivals),
    provider: writerOf<ProviderRequest>(files.provider),
    fault: writerOf<Fault>(files.faults),
    end: writerOf<Exit>(files.ends),
    close: () => Promise.all([...streams.values()].map((stream) => finished(stream.end()))),
  }
}
