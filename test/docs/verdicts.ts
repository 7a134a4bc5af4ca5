import { bodyOf, type Vector } from '../vectors/vector.ts'
import { type Language, librariesOf } from './languages.ts'
import { runProgram } from './program.ts'

export type CheckedRequest = Pick<Vector, 'secret' | 'now' | 'headers' | 'body' | 'bodyBase64'>

const base64 = (plain: string | Buffer): string => Buffer.from(plain).toString('base64')

const asLine = (request: CheckedRequest): string => {
  const headers = Object.entries(request.headers).flat().map(base64)
  return [base64(request.secret), request.now, base64(bodyOf(request)), ...headers].join('\t')
}

/** Checks every request with the guide's function, in one process. Returns the event's id or `null` for each. */
export async function verdictsOf(language: Language, requests: readonly CheckedRequest[]): Promise<string[]> {
  const runner = `run.${language.extension}`
  const files = { ...librariesOf(language), [runner]: language.checkAll }
  const input = `${requests.map(asLine).join('\n')}\n`
  const out = await runProgram([language.command, runner], { files, environment: {}, input })
  return out.trimEnd().split(/\r?\n/)
}
