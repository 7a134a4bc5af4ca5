/** Violations by oracle, each with the bytes that caused it. */
export interface Violations {
  add(oracle: string, sentence: string, sent: Buffer | null): void
  count(): number
  /** The oracles with violations. */
  oracles(): string[]
  /** The report. */
  lines(): string[]
}

/** The most violations printed for each oracle. */
const mostTold = 5
const mostBytes = 1500

export function createViolations(): Violations {
  const found = new Map<string, { sentence: string; sent: Buffer | null }[]>()
  return {
    add(oracle, sentence, sent) {
      const some = found.get(oracle) ?? []
      found.set(oracle, some)
      some.push({ sentence, sent })
    },
    count: () => [...found.values()].reduce((sum, some) => sum + some.length, 0),
    oracles: () => [...found.keys()],
    lines: () =>
      [...found].flatMap(([oracle, some]) => [
        `\n${oracle}: ${some.length} violations`,
        ...some
          .slice(0, mostTold)
          .flatMap(({ sentence, sent }) => [
            `  ${sentence}`,
            ...(sent === null ? [] : [`    ${repetition(sent)}`]),
          ]),
        ...(some.length > mostTold ? [`  and ${some.length - mostTold} not printed`] : []),
      ]),
  }
}

const keys = /\b[sp]k_(test|live)_\w+/g

/** A shell command that sends the same bytes to `$PORT`, with `$KEY` instead of the key, which is gone with its database. */
function repetition(sent: Buffer): string {
  const text = sent
    .subarray(0, mostBytes)
    .toString('latin1')
    .replaceAll('%', '%%')
    .replaceAll('\\', '\\\\')
    .replaceAll("'", '\\x27')
    .replaceAll(/[^\x20-\x7e]/g, (each) => `\\x${each.charCodeAt(0).toString(16).padStart(2, '0')}`)
    .replaceAll(keys, `'"$KEY"'`)
  const rest = sent.length > mostBytes ? ` # and ${sent.length - mostBytes} bytes more` : ''
  return `printf '${text}' | nc -q 2 127.0.0.1 $PORT${rest}`
}
