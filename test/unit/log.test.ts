import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import mongoose, { mongo, Schema } from 'mongoose'
import { pino } from 'pino'
import { describeError } from '../../src/platform/log.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import { withService } from '../support/service.ts'

const secret = 'a-secret-value'

async function linesOf(code: string): Promise<string[]> {
  const begin = `import { createLog } from './src/platform/log.ts'\nconst log = createLog('info', 'test', null)\n`
  const args = ['--input-type=module', '-e', begin + code]
  const ended = promisify(execFile)(process.execPath, args).catch((error: { stdout: string }) => error)
  const { stdout } = await ended
  const lines = stdout.trim().split('\n')
  return lines.map((line) => JSON.parse(line).msg)
}

describe('A log line', () => {
  it('is written in order at the end of each event loop iteration and on exit', async () => {
    expect(await linesOf(`log.info({}, 'a'); log.info({}, 'b'); process.exit(0)`)).to.deep.equal(['a', 'b'])
    const later = `log.info({}, 'a'); log.info({}, 'b'); setTimeout(() => process.kill(process.pid, 'SIGKILL'), 20)`
    expect(await linesOf(later)).to.deep.equal(['a', 'b'])
  })

  it('is written at once if it is a warning or an error, or if one of these follows it', async () => {
    const code = `log.info({}, 'a'); log.warn({}, 'b'); log.info({}, 'lost'); process.kill(process.pid, 'SIGKILL')`
    expect(await linesOf(code)).to.deep.equal(['a', 'b'])
  })
})

describe("An error's log line", () => {
  const service = withService()
  excuse(['kept'])
  before(() => service.deps.mongo.collection('kept').createIndex({ code: 1 }, { unique: true }))

  function lineOf(err: unknown): string {
    let line = ''
    const sink = { write: (text: string) => void (line += text) }
    pino({ serializers: { err: describeError } }, sink).warn({ err }, 'request.failed')
    return line
  }

  const thrown = async (act: () => unknown): Promise<Error> => {
    try {
      await act()
    } catch (error) {
      return error as Error
    }
    throw new Error('nothing was thrown')
  }

  async function refusedTwice(code: string, insert: (docs: { code: string }[]) => Promise<unknown>) {
    await insert([{ code }])
    await insert([{ code }])
  }

  const shape = { _id: String, amount: Number, at: Date }
  const Strict = mongoose.model('Strict', new Schema(shape, { strict: 'throw' }))
  const kept = () => service.deps.mongo.collection('kept')
  const insertFirst = ([doc]: { code: string }[]) => kept().insertOne(doc ?? {})

  const quoting: [name: string, act: () => unknown][] = [
    ['CastError', () => service.deps.Intent.findOne({ expiresAt: secret })],
    ['ValidationError', () => new Strict({ _id: 'a', amount: secret }).validate()],
    ['StrictModeError', () => Strict.updateOne({}, { [secret]: 1 })],
    ['ObjectParameterError', () => Strict.find(secret as never)],
    ['DocumentNotFoundError', () => service.deps.Intent.findOne({ code: secret }).orFail()],
    ['BSONError', () => mongo.BSON.serialize({ [`${secret}\0`]: 1 })],
    ['MongoParseError', () => new mongo.MongoClient(`mongodb://a/?appName=a&${secret}=1`)],
    ['MongoServerError', () => refusedTwice(secret, insertFirst)],
    ['MongoBulkWriteError', () => refusedTwice(`${secret}2`, (docs) => kept().insertMany(docs))],
    ['MongoServerError', () => refusedTwice(`in lines\n    at ${secret}`, insertFirst)],
  ]
  for (const [index, [name, act]] of quoting.entries())
    it(`omits the values quoted in the error's message, with or without a stack: ${name} (${index + 1})`, async () => {
      for (const frames of [0, 10]) {
        Error.stackTraceLimit = frames
        const error = await thrown(act).finally(() => (Error.stackTraceLimit = 10))
        expect(error.message.toLowerCase()).to.include(secret)
        const line = lineOf(error)
        expect(line.toLowerCase()).not.to.include(secret)
        expect(JSON.parse(line).err).to.have.property('name', name)
        expect(JSON.parse(line).err.stack).to.match(frames === 0 ? /^$/ : /^at /)
      }
    })

  it("contains a MongoDB error's code and a bug's whole message and stack trace", async () => {
    const duplicate = await thrown(() => refusedTwice('again', (docs) => kept().insertMany(docs)))
    expect(JSON.parse(lineOf(duplicate)).err).to.include({ code: 11_000 })
    const { err } = JSON.parse(lineOf(new TypeError('x is not a function')))
    expect(err).to.include({ name: 'TypeError', message: 'x is not a function' })
    expect(err.stack).to.match(/^TypeError: x is not a function\n {4}at .*log\.test\.ts/)
  })
})
