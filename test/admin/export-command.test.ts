import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ledgerExportKinds } from '../../schemas/ledger.ts'
import { completeExportFile, type LedgerFileExport, openExportFile } from '../../src/exports/export-file.ts'
import { createExportWriter, parseExportForm } from '../../src/exports/export-ledger.ts'
import { temporaryFolder } from '../support/built.ts'
import { bookMany, bookOne, ledgerOf } from '../support/ledger.ts'
import { withServiceAndMerchant } from '../support/service.ts'
import { withAdmin } from './admin.ts'

describe('npm run admin -- export', () => {
  const { service, merchant } = withServiceAndMerchant()
  const cli = withAdmin(service)
  const folder = temporaryFolder()
  const owner = () => ({ businessId: merchant.businessId, sandbox: true })
  before(async () => {
    service.clock.freeze(new Date())
    await bookMany(service, owner(), 126)
  })

  let files = 0
  const newFile = () => join(folder, `${(files += 1)}`)
  const args = (kind: string, file: string, ...more: string[]) => {
    const which = ['--business', merchant.businessId, '--mode', 'test', '--out', file]
    return ['export', kind, ...which, ...more]
  }
  const downloaded = async (kind: string, query = ''): Promise<string> => {
    const url = `${service.origin}/api/v1/dev/exports/${kind}?${query}`
    return Buffer.from(await (await fetch(url, { headers: merchant.read() })).arrayBuffer()).toString('utf8')
  }

  it('writes the same file as the API and records it in the audit trail', async () => {
    for (const kind of ledgerExportKinds) {
      const file = newFile()
      const printed = await cli.done(...args(kind, file, '--delimiter', 'semicolon', '--language', 'fr'))
      const text = await readFile(file, 'utf8')
      expect(text).to.equal(await downloaded(kind, 'delimiter=semicolon&language=fr'))
      const numbers = (await ledgerOf(service, owner()))
        .filter(({ type }) => kind === 'entries' || `${type}s` === kind)
        .map(({ position }) => position)
      const bytes = Buffer.byteLength(text)
      expect(printed).to.deep.equal({ file, lines: numbers.length, bytes, last: numbers.at(-1) })
      expect((await stat(file)).mode & 0o777).to.equal(0o600)
    }
    const marked = newFile()
    await cli.done(...args('entries', marked, '--bom'))
    expect(await readFile(marked, 'utf8'))
      .to.equal(await downloaded('entries', 'bom=true'))
      .and.match(/^\uFEFF/)
    const lines = newFile()
    await cli.done(...args('entries', lines, '--format', 'jsonl'))
    expect(await readFile(lines, 'utf8')).to.equal(await downloaded('entries', 'format=jsonl'))
    const exported = { act: 'ledger.exported' as const }
    const [line] = await service.deps.AuditEvent.find(exported).sort({ _id: 1 }).lean()
    const { businessId } = merchant
    const after = { kind: 'payments', mode: 'test', format: 'csv' }
    expect(line).to.deep.include({ subject: businessId, businessId, before: null, after })
  })

  it('refuses an existing file, an unknown business, an invalid period or an irrelevant option', async () => {
    const file = newFile()
    await writeFile(file, 'mine')
    const existing = await cli.here(...args('payments', file))
    const exists = `${file} already exists. Choose another name, or complete it with --resume.\n`
    expect(existing).to.deep.include({ exitCode: 1, stderr: exists })
    const resumed = await cli.here(...args('payments', file, '--resume'))
    const differs = `${file} does not begin like this export. Use the options that the file was started with.\n`
    expect(resumed).to.deep.include({ exitCode: 1, stderr: differs })
    expect(await readFile(file, 'utf8')).to.equal('mine')
    const unknown = await cli.here(...args('payments', newFile(), '--business', 'x'))
    expect(unknown.stderr).to.equal('There is no business x.\n')
    const period = ['--from', '2026-02-01', '--to', '2026-01-01']
    const reversed = await cli.here(...args('payments', newFile(), ...period))
    expect(reversed.stderr).to.equal('--from must not be later than --to.\n')
    for (const option of ['delimiter comma', 'language en', 'bom']) {
      const [name = '', value = ''] = option.split(' ')
      const notCsv = await cli.here(
        ...args('payments', newFile(), '--format', 'jsonl', `--${name}`, ...(value ? [value] : [])),
      )
      expect(notCsv.stderr).to.equal(`--${name} applies only to --format csv.\n`)
    }
  })

  it('resumes a truncated, missing or complete file with --resume', async () => {
    const whole = await downloaded('entries')
    const file = newFile()
    for (const cut of [null, whole.length, 70_000]) {
      if (cut !== null) await writeFile(file, Buffer.from(whole).subarray(0, cut))
      const { lines, bytes } = await cli.done(...args('entries', file, '--resume'))
      expect([lines, bytes]).to.deep.equal([505, Buffer.byteLength(whole)])
      expect(await readFile(file, 'utf8')).to.equal(whole)
    }
  })

  describe('with --resume', () => {
    const semicolon = { delimiter: 'semicolon', language: 'ar' } as const
    const forms = [{ delimiter: 'comma' }, semicolon, { format: 'jsonl' }] as const

    const wanted = (form: (typeof forms)[number], positions = { first: 1, last: 60 }): LedgerFileExport => ({
      owner: owner(),
      kind: 'payments',
      positions,
      writer: createExportWriter(parseExportForm('payments', form)),
      quotes: !('format' in form),
    })
    const isEnding = new AbortController().signal
    const write = async (file: string, target: LedgerFileExport, signal = isEnding) => {
      const opened = await openExportFile(service.deps, file, target, true)
      const written = await completeExportFile(service.deps, opened, target, signal, () => undefined)
      await opened.file.close()
      return written
    }

    for (const form of forms)
      it(`completes a file truncated at any byte, so that it equals an uninterrupted export: ${JSON.stringify(form)}`, async () => {
        const target = wanted(form, { first: 8, last: 10 })
        const file = newFile()
        const written = await write(file, target)
        const whole = await readFile(file)
        expect(written.bytes).to.equal(whole.length)
        const lineEnds = [...whole.keys()].filter((at) => whole[at] === 10 || whole[at] === 13)
        const cuts = new Set([1, 2, 3, 4, ...lineEnds.flatMap((at) => [at, at + 1, at + 2])])
        for (let at = 0; at < whole.length; at += 197) cuts.add(at)
        for (const cut of cuts) {
          await writeFile(file, whole.subarray(0, cut))
          expect(await write(file, target), `cut at ${cut}`).to.deep.equal(written)
          expect((await readFile(file)).equals(whole), `cut at ${cut}`).to.equal(true)
        }
      })

    it("refuses another export's file and leaves it unchanged", async () => {
      const [comma, , lines] = forms.map((form) => wanted(form))
      const others: (LedgerFileExport | undefined)[] = [
        lines,
        wanted(forms[1]),
        wanted(forms[0], { first: 2, last: 60 }),
        wanted(forms[0], { first: 1, last: 61 }),
        comma && { ...comma, writer: createExportWriter(parseExportForm('refunds', forms[0])) },
      ]
      for (const other of others) {
        const file = newFile()
        if (other !== undefined) await write(file, other)
        const before = await readFile(file)
        const error = await write(file, comma as LedgerFileExport).catch((reason: Error) => reason.message)
        expect(error).to.match(/Use the options that the file was started with\.$/)
        expect((await readFile(file)).equals(before)).to.equal(true)
      }
    })

    it('leaves a file that it can complete later if it is interrupted', async () => {
      await bookOne(service, owner(), 'payment', 1)
      const target = { ...wanted(forms[0]), kind: 'entries', positions: { first: 1, last: 505 } } as const
      const entries = { ...target, writer: createExportWriter(parseExportForm('entries', forms[0])) }
      const [stopped, whole] = [newFile(), newFile()]
      await write(whole, entries)
      expect((await write(stopped, entries, AbortSignal.abort())).lines).to.equal(125)
      expect((await write(stopped, entries)).lines).to.equal(505)
      expect((await readFile(stopped)).equals(await readFile(whole))).to.equal(true)
    })
  })
})
