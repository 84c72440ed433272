/**
 * Stands in for the gesture library that the zoom plugin can do without: `gestures.ts` listens to fingers.
 */
export default undefined;
