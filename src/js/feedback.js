// What a key feels and sounds like. The same for every key, so that it tells nothing of the number. Where the browser
// lacks it or forbids it, nothing happens.
let audio;
let last;

export function vibrate() {
  try {
    navigator.vibrate?.(10);
  } catch {
    // A page may have replaced it.
  }
}

export function click() {
  try {
    audio ??= new AudioContext();
    // Asleep between the keys, and until the first touch.
    audio.resume().catch(() => {});
    const volume = new GainNode(audio, { gain: 0.15 });
    volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.03);
    const tone = new OscillatorNode(audio, { type: "triangle", frequency: 1800 });
    tone.connect(volume).connect(audio.destination);
    tone.onended = () => {
      if (tone === last) audio.suspend().catch(() => {});
    };
    last = tone;
    tone.start();
    tone.stop(audio.currentTime + 0.03);
  } catch {
    // See above.
  }
}
