// Property tests draw the same cases each time, so that a suite which passed passes again and a failure can be repeated.
// HERMES_TEST_SEED=random draws new ones, HERMES_TEST_SEED=N those of another seed.
import { configureGlobal } from 'fast-check'

const wanted = process.env.HERMES_TEST_SEED
if (wanted !== 'random') configureGlobal({ seed: wanted === undefined ? 20_261_129 : Number(wanted) })
