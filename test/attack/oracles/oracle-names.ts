import { createPools } from '../cast/pools.ts'
import { answerOracles } from './answer-oracles.ts'
import { runOracles } from './run-oracles.ts'
import { silenceOracles } from './silence-oracles.ts'

/** All that is demanded. */
export const oracleNames: readonly string[] = [
  answerOracles(createPools()),
  silenceOracles,
  runOracles,
].flatMap(Object.keys)
