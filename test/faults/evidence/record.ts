import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { type Arrival, type Call, type Exit, type Fault, files, type ProviderRequest } from './evidence.ts'

/** Writes lines of evidence as things happen. Each file of a folder has one writer. */
export interface Recording {
  call(call: Call): void
  arrival(arrival: Arrival): void
  provider(request: ProviderRequest): void
  fault(fault: Fault): void
  end(end: Exit): void
  close(): Promise<void>
}

export function openRecord(folder: string): Recording {
  mkdirSync(folder, { recursive: true })
  const streams = new Map<string, WriteStream>()
  const lineTo = (file: string) => (line: object) => {
    const stream = streams.get(file) ?? createWriteStream(join(folder, file), { flags: 'a' })
    streams.set(file, stream)
    stream.write(`${JSON.stringify(line)}\n`)
  }
  return {
    call: lineTo(files.calls),
    arrival: lineTo(files.arrivals),
    provider: lineTo(files.provider),
    fault: lineTo(files.faults),
    end: lineTo(files.ends),
    close: async () => void (await Promise.all([...streams.values()].map((stream) => finished(stream.end())))),
  }
}
