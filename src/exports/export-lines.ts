import type { Delimiter } from '../../schemas/delimiter.ts'
import type { ExportFormat, ExportKind, ExportLanguage } from '../../schemas/export-ledger.ts'
import { type Cell, csvHeader, csvRows } from './csv.ts'
import { type ExportedEntry, factsOf } from './facts.ts'

/** The content and form of an exported file. The delimiter and language matter only for CSV. */
export interface FileForm {
  kind: ExportKind
  format: ExportFormat
  delimiter: Delimiter
  language: ExportLanguage
}

/** The lines of an exported file. */
export interface LineWriter {
  /** The names of the columns. Empty if the format has none. */
  header: string
  /** Returns one line per entry. The number of the entry is the first value of its line. */
  lines(entries: readonly ExportedEntry[]): string
}

/** The word behind the name of an amount in the columns that show it in centimes. */
const centimes = { en: 'centimes', fr: 'centimes', ar: 'سنتيم' } as const

/** Returns a writer for files of this form. It writes the same lines for the same entries, however they are grouped. */
export function createLineWriter({ kind, format, delimiter, language }: FileForm): LineWriter {
  const facts = factsOf(kind)
  if (format === 'jsonl') {
    const lineOf = (entry: ExportedEntry) =>
      JSON.stringify(Object.fromEntries(facts.map(({ key, read }) => [key, read(entry)])))
    return { header: '', lines: (entries) => entries.map((entry) => `${lineOf(entry)}\n`).join('') }
  }
  const amounts = facts.filter(({ isAmount }) => isAmount)
  const names = [
    ...facts.map(({ name }) => name[language]),
    ...amounts.map(({ name }) => `${name[language]} (${centimes[language]})`),
  ]
  const rowOf = (entry: ExportedEntry): Cell[] => [
    ...facts.map(({ read, isAmount }) => (isAmount ? { centimes: Number(read(entry)) } : read(entry))),
    ...amounts.map(({ read }) => read(entry)),
  ]
  return {
    header: csvHeader(names, delimiter),
    lines: (entries) => csvRows(entries.map(rowOf), delimiter),
  }
}
