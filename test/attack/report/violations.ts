/** What was found wrong, by oracle, with what was sent. */
export interface Violations {
  add(oracle: string, sentence: string, sent: Buffer | null): void
  count(): number
  /** Those that found some. */
  oracles(): string[]
  /** All that there is to say of them. */
  lines(): string[]
}

/** As many as one can read, of each oracle. */
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
        ...(some.length > mostTold ? [`  and ${some.length - mostTold} that are not told`] : []),
      ]),
  }
}

const keys = /\b[sp]k_(test|live)_\w+/g

/** A line of a shell that sends the same bytes, with `$PORT` of a service, and `$KEY` in the place of a key: that of the run is gone with its database. */
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
